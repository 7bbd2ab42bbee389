/**
 * stewardctl: client of a steward daemon and administration of its installation. Runs with the rights of whoever starts it and
 * is trusted with that account's token; nothing a server sends is executed, and nothing of it reaches a terminal unescaped.
 *
 * This file only loads the rest.
 */
const { start } = await import('./start.ts');
await start();
