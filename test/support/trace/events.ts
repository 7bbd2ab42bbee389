/**
 * What strace(1) wrote, as events of processes: programs executed, files opened to read or to write, changes of names and attributes,
 * connections, sockets, signals. Paths are those of the objects that were reached, where strace knows them. Test only.
 */

export type EventKind = 'exec' | 'read' | 'write' | 'change' | 'connect' | 'socket' | 'signal';

export interface TraceEvent {
  readonly pid: number;
  readonly kind: EventKind;
  /** The path that was reached; for a socket its address family, for a signal the process or group that gets it. */
  readonly object: string;
  /** The path that was asked for, where that is another: the kernel's own links in procfs and sysfs lead elsewhere. */
  readonly given?: string;
  /** Arguments of an executed program, its name first. */
  readonly argv: readonly string[];
  /** The line, for the report of a failure. */
  readonly line: string;
}

/** What strace has to trace for all this; `?` where an architecture lacks the call. */
export const TRACED = [
  ...[
    'chdir',
    'fchdir',
    'execve',
    'execveat',
    '?open',
    '?creat',
    'openat',
    'openat2',
    'connect',
    'bind',
    'socket',
    'dup3',
    '?dup2',
    'dup',
    'fcntl',
  ],
  ...[
    '?unlink',
    'unlinkat',
    '?rename',
    '?renameat',
    'renameat2',
    '?mkdir',
    'mkdirat',
    '?rmdir',
    '?mknod',
    'mknodat',
    '?link',
    'linkat',
  ],
  ...[
    '?symlink',
    'symlinkat',
    '?chmod',
    'fchmod',
    'fchmodat',
    '?chown',
    'fchown',
    '?lchown',
    'fchownat',
    'truncate',
    'ftruncate',
  ],
  ...['setxattr', 'lsetxattr', 'fsetxattr', 'removexattr', 'lremovexattr', 'fremovexattr', 'utimensat', '?futimesat', '?utimes'],
  ...['kill', 'tkill', 'tgkill', '?pidfd_send_signal', 'mount', 'umount2', 'ptrace', 'unshare', 'setns', 'chroot', 'init_module'],
  ...['finit_module', 'delete_module', 'bpf', 'swapon', 'reboot', 'settimeofday', 'clock_settime', 'sethostname'],
].join(',');

/** Calls that change names or attributes; those that take two paths; those that take a descriptor of the object itself. */
const CHANGES =
  /^(unlink|rename|mkdir|rmdir|mknod|link|symlink|f?chmod|[fl]?chown|f?truncate|[lf]?setxattr|[lf]?removexattr|f?utimes)/;
const TWO_PATHS = /^(rename|link)/;
const BY_DESCRIPTOR = /^(fchmod|fchown|ftruncate|fsetxattr|fremovexattr)$/;
/** Calls whose every use is an event of its own name: nothing of ours makes them. */
const NEVER =
  /^(mount|umount2|ptrace|unshare|setns|chroot|init_module|finit_module|delete_module|bpf|swapon|reboot|settimeofday|clock_settime|sethostname)$/;

/** Reads what strace writes with `-f -y`, as it grows. */
export class TraceReader {
  /** Path that each descriptor was last opened on. Threads share them; a program that is started inherits some. */
  readonly #open = new Map<string, string>();
  readonly #unfinished = new Map<number, string>();
  /** Working directories of processes that have changed theirs. */
  readonly #cwd = new Map<number, string>();

  /** Events of whole lines of the trace. */
  read(text: string): TraceEvent[] {
    return text.split('\n').flatMap((line) => this.#line(line));
  }

  #line(line: string): TraceEvent[] {
    const [, pidText = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const pid = Number(pidText);
    if (rest.endsWith('<unfinished ...>')) {
      this.#unfinished.set(pid, rest.slice(0, -'<unfinished ...>'.length));
      return [];
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    const whole = resumed === null ? rest : `${this.#unfinished.get(pid) ?? ''}${resumed[1] ?? ''}`;
    const [, name, args, result] = /^(\w+)\((.*)\) += (.*)$/s.exec(whole) ?? [];
    return name === undefined || args === undefined || result === undefined ? [] : this.#call({ pid, name, args, result });
  }

  #call({ pid, name, args, result }: Call): TraceEvent[] {
    const line = `${name}(${args}) = ${result}`;
    const event: MakeEvent = (kind, object, more = {}) => [{ pid, kind, object, argv: [], line, ...more }];
    const failed = result.startsWith('-1 ');
    const [first = '', ...others] = stringsOf(args);
    if (/^(open|openat|openat2|creat)$/.test(name)) return this.#opened(event, pid, args, result);
    if (name === 'chdir' && !failed) this.#cwd.set(pid, first);
    if (name === 'execve' || name === 'execveat') return event('exec', first, { argv: others });
    if (name === 'socket') return event('socket', /^AF_\w+/.exec(args)?.[0] ?? args);
    if (name === 'connect' || name === 'bind') return event('connect', addressOf(args));
    if (/kill$|^pidfd_send_signal$/.test(name)) return event('signal', args.split(',')[0] ?? '');
    if (NEVER.test(name)) return event('change', name);
    if (CHANGES.test(name) && !failed) return this.#places(pid, name, args).flatMap((place) => event('change', place));
    return [];
  }

  #opened(event: MakeEvent, pid: number, args: string, result: string): TraceEvent[] {
    const failed = result.startsWith('-1 ');
    const [, descriptor = '', reached = ''] = /^(\d+)<(.*?)(?:<[^>]*>)?>(?: \(deleted\))?$/s.exec(result) ?? [];
    const given = this.#resolve(pid, stringsOf(args)[0] ?? '');
    if (!failed) this.#open.set(descriptor, plain(reached));
    if (/\bO_PATH\b/.test(args)) return [];
    const writes = /\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b/.test(args);
    if (failed && !writes) return [];
    return event(writes ? 'write' : 'read', failed ? given : plain(reached), { given });
  }

  /** The objects of a call that changes something: what a descriptor leads to, or names with where they are. */
  #places(pid: number, name: string, args: string): string[] {
    if (BY_DESCRIPTOR.test(name)) return [plain(/^\d+<(.*?)>(?=,|$)/s.exec(args)?.[1] ?? args)];
    const pairs = [...args.matchAll(/(?:(AT_FDCWD|\d+)<((?:[^<>]|<[^>]*>)*)>)?(?:, |^)?("(?:[^"\\]|\\.)*")?/gs)];
    const found = pairs.flatMap(([, , held, quoted]) => {
      if (quoted === undefined) return held === undefined ? [] : [plain(held)];
      const path = this.#resolve(pid, stringsOf(quoted)[0] ?? '');
      return [path.startsWith('/') || held === undefined ? path : `${plain(held)}/${path}`];
    });
    if (name.startsWith('symlink')) return found.slice(1, 2); // The first is text.
    return found.slice(0, TWO_PATHS.test(name) ? 2 : 1);
  }

  /** A path as it was given, with what leads through a descriptor resolved. */
  #resolve(pid: number, path: string): string {
    const through = /^\/proc\/(?:self|\d+)\/fd\/(\d+)(\/.*)?$/s.exec(path);
    if (through !== null) return `${this.#open.get(through[1] ?? '') ?? path}${through[2] ?? ''}`;
    const cwd = this.#cwd.get(pid);
    return path.startsWith('/') || cwd === undefined ? path : `${cwd}/${path}`;
  }
}

interface Call {
  readonly pid: number;
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

type MakeEvent = (kind: EventKind, object: string, more?: Partial<TraceEvent>) => TraceEvent[];

/** The quoted strings of an argument list, unescaped as far as tests need it. */
function stringsOf(args: string): string[] {
  return [...args.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map((match) => (match[1] ?? '').replace(/\\(["\\])/g, '$1'));
}

const plain = (path: string): string => path.replace(/ \(deleted\)$/, '');

/** Path of a Unix socket, or the family of any other address. */
function addressOf(args: string): string {
  return /sun_path=@?"((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? /sa_family=(AF_\w+)/.exec(args)?.[1] ?? args;
}
