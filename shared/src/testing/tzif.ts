/** For unit tests alone: builds time zone files (RFC 9636). */

export interface ZoneParts {
  /** `1` has 32-bit times and no rule. */
  readonly version: 1 | 2 | 3;
  /** Seconds east of UTC, summer time or not, name. The first holds before the first change. */
  readonly types: readonly (readonly [offset: number, isDst: boolean, name: string])[];
  /** When, and to which of the types; ascending. */
  readonly changes: readonly (readonly [time: number, type: number])[];
  readonly rule?: string;
  /** Leap seconds, which lengthen the file and nothing else. */
  readonly leaps?: number;
}

export function zoneFile(parts: ZoneParts): Buffer {
  const { version, rule = '' } = parts;
  if (version === 1) return Buffer.concat([header(parts, '\0'), block(parts, 4)]);
  // What old readers see is empty: they would not get the rule either.
  const old: ZoneParts = { ...parts, changes: [], leaps: 0 };
  const letter = String(version);
  const footer = Buffer.from(`\n${rule}\n`);
  return Buffer.concat([header(old, letter), block(old, 4), header(parts, letter), block(parts, 8), footer]);
}

function header({ types, changes, leaps = 0 }: ZoneParts, version: string): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write(`TZif${version}`);
  const counts = [types.length, types.length, leaps, changes.length, types.length, namesOf(types).length];
  counts.forEach((count, index) => bytes.writeUInt32BE(count, 20 + index * 4));
  return bytes;
}

function block({ types, changes, leaps = 0 }: ZoneParts, width: 4 | 8): Buffer {
  const times = changes.map(([time]) => {
    const bytes = Buffer.alloc(width);
    if (width === 4) bytes.writeInt32BE(time);
    else bytes.writeBigInt64BE(BigInt(time));
    return bytes;
  });
  let nameAt = 0;
  const described = types.map(([offset, isDst, name]) => {
    const bytes = Buffer.alloc(6);
    bytes.writeInt32BE(offset);
    bytes.writeUInt8(isDst ? 1 : 0, 4);
    bytes.writeUInt8(nameAt, 5);
    nameAt += name.length + 1;
    return bytes;
  });
  const indexes = Buffer.from(changes.map(([, type]) => type));
  const indicators = Buffer.alloc(types.length * 2);
  return Buffer.concat([
    ...times,
    indexes,
    ...described,
    Buffer.from(namesOf(types)),
    Buffer.alloc(leaps * (width + 4)),
    indicators,
  ]);
}

function namesOf(types: ZoneParts['types']): string {
  return types.map(([, , name]) => `${name}\0`).join('');
}
