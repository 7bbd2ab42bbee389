/** Finds the values of a template's placeholders in a URI. What the client wrote is taken apart here and nowhere else. */

/**
 * The placeholders of `template` (names in braces) as `uri` fills them, percent-decoded once; undefined when the fixed parts
 * differ. A placeholder takes any characters, slashes too. Throws URIError for a malformed escape, bytes that are not UTF-8, or
 * a NUL.
 */
export function matchTemplate(template: string, uri: string): Readonly<Record<string, string>> | undefined {
  const names: string[] = [];
  const fixed = template.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return RegExp.escape(part);
    names.push(part);
    return '(.*)';
  });
  const values = new RegExp(`^${fixed.join('')}$`, 's').exec(uri)?.slice(1);
  return values && Object.fromEntries(names.map((name, index) => [name, decodedOnce(values[index] ?? '')]));
}

function decodedOnce(value: string): string {
  const text = decodeURIComponent(value);
  if (text.includes('\0')) throw new URIError('NUL in a URI');
  return text;
}
