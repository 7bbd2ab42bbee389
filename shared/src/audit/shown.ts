/** What of arguments and results a record shows: chosen members, each short enough that no caller can flood the log. */

/** UTF-16 units of one member. */
const MAX_SHOWN = 4096;

type Members = Readonly<Record<string, unknown>>;

/** The named members, cut to what a record holds. The names are a row's. */
export function shownMembers(names: readonly string[], members: Members): Members {
  const shown: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(members, name)) shown[name] = brief(members[name]);
  return shown;
}

/** The named members of a result as text, `action replace, size 12`; undefined when it has none of them. */
export function shownResult(names: readonly string[], result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const told = Object.entries(shownMembers(names, result as Members)).map(([name, value]) => `${name} ${String(value)}`);
  return told.length === 0 ? undefined : told.join(', ');
}

function brief(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_SHOWN).toWellFormed();
}
