/** The broker's only way to say something to people: one line to standard error, which is the journal. */

/** Writes one line; control characters in it are escaped, so that nobody can write a line of their own. */
export function say(text: string): void {
  // eslint-disable-next-line no-control-regex -- control characters are what is escaped
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  process.stderr.write(`broker: ${line}\n`);
}
