/**
 * Names of files, keys and accounts as they appear in text for people: control characters become visible escapes, so that a file
 * name can neither start a line of its own nor speak to the terminal. JSON forms keep names as they are.
 */
export { escapeName } from '@steward/shared/host/names.ts';
