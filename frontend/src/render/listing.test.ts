/** Proves the layout of directory listings, and that they are made in passes over the entries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, iterate } from '../testing/outcome.ts';
import { listingColumns, longListing, shortListing, type ListedEntry, type ListingOptions } from './listing.ts';
import { RecordTable } from './record-table.ts';
import { joinLines } from './stream.ts';

const NOW = new Date(2026, 10, 20, 12, 0, 0).getTime();
const OPTIONS: ListingOptions = { human: false, now: NOW };

function entry(name: string, given: Partial<ListedEntry> = {}): ListedEntry {
  return {
    name,
    type: 'file',
    mode: '-rw-r--r--',
    links: 1,
    owner: 'root',
    group: 'root',
    size: 811,
    modified: '2025-01-02 10:00:00',
    is_dir: false,
    target: '',
    ...given,
  };
}

const CONF = entry('conf.d', {
  type: 'dir',
  mode: 'drwxr-xr-x',
  links: 2,
  size: 4096,
  modified: '2026-11-20 11:33:00',
  is_dir: true,
});

function text(entries: readonly ListedEntry[], options: Partial<ListingOptions> = {}, blocks = 12): Promise<string> {
  const table = new RecordTable(listingColumns({ ...OPTIONS, ...options }));
  return collect(
    joinLines(
      longListing(
        blocks,
        table.linesOf(() => iterate(entries)),
      ),
    ),
  );
}

test('the layout of ls -l', async () => {
  assert.equal(
    await text([CONF, entry('hosts')]),
    `total 12
drwxr-xr-x 2 root root 4096 Nov 20 11:33 conf.d
-rw-r--r-- 1 root root  811 Jan  2  2025 hosts`,
  );
});

test('aligned columns, links, devices, what could not be examined', async () => {
  const entries = [
    entry('sda', { type: 'block', mode: 'brw-rw----', group: 'disk', size: 0, device: '8, 0' }),
    entry('l', { type: 'symlink', mode: 'lrwxrwxrwx', links: 12, owner: 'www-data', size: 5, target: '/a\nb' }),
    entry('gone', { type: '?', mode: '??????????', links: 0, owner: '', group: '', size: 0, modified: '' }),
    entry('blank at end ', { size: 123456 }),
  ];
  assert.equal(
    await text(entries),
    `total 12
brw-rw----  1 root     disk   8, 0 Jan  2  2025 sda
lrwxrwxrwx 12 www-data root      5 Jan  2  2025 l -> /a\\nb
??????????  ? ?        ?         ?            ? gone
-rw-r--r--  1 root     root 123456 Jan  2  2025 blank at end ` /* the blank is part of the name */,
  );
});

test('sizes for people', async () => {
  assert.match(
    await text([CONF, entry('big', { size: 12_288 })], { human: true }),
    /^d.* root 4\.0K Nov .*\n-.* root {2}12K Jan /m,
  );
});

test('names alone', async () => {
  assert.equal(await collect(joinLines(shortListing(() => iterate([CONF, entry('a\tb')])))), 'conf.d/\na\\tb');
});

test('an empty directory', async () => {
  assert.equal(await text([], {}, 0), 'Directory is empty.');
  assert.equal(await collect(joinLines(shortListing(() => iterate([])))), 'Directory is empty.');
});

test('two passes, and no more held than a piece of text', async () => {
  const count = 40_000;
  let passes = 0;
  async function* many(): AsyncGenerator<ListedEntry> {
    passes += 1;
    for (let n = 0; n < count; n += 1) yield await Promise.resolve(entry(`file-${String(n)}`));
  }
  let bytes = 0;
  let largest = 0;
  const table = new RecordTable(listingColumns(OPTIONS));
  for await (const piece of joinLines(longListing(1, table.linesOf(many)))) {
    bytes += piece.length;
    largest = Math.max(largest, piece.length);
  }
  assert.equal(passes, 2);
  assert.ok(bytes > count * 50);
  assert.ok(largest < 64 * 1024, String(largest));
});
