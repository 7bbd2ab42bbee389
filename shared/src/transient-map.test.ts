/** Proves that the map is one, and that what has been taken out of it can be collected without collecting everything. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { TransientMap } from './transient-map.ts';

test('it holds what was set and not deleted, in order, however often the entries have moved', () => {
  const map = new TransientMap<number, string>();
  const plain = new Map<number, string>();
  for (let step = 0; step < 5000; step += 1) {
    const key = (step * 7) % 97;
    if (step % 3 === 2) assert.equal(map.delete(key), plain.delete(key));
    else {
      map.set(key, String(step));
      plain.set(key, String(step));
    }
    assert.equal(map.size, plain.size);
    assert.equal(map.has(key), plain.has(key));
    assert.equal(map.get(key), plain.get(key));
  }
  assert.deepEqual([...map], [...plain]);
  assert.deepEqual([...map.keys()], [...plain.keys()]);
  assert.deepEqual([...map.values()], [...plain.values()]);
});

test('who iterates may delete what is to come', () => {
  const map = new TransientMap<number, string>();
  for (let key = 0; key < 200; key += 1) map.set(key, 'x');
  const seen: number[] = [];
  for (const [key] of map) {
    seen.push(key);
    map.delete(key);
    map.delete(key + 1);
  }
  assert.deepEqual([seen.length, seen[1], map.size], [100, 2, 0]);
});

/** Bytes by which the old generation grows while 20,000 entries of 4 kB come and go, so many at a time, and only the young one is collected. */
function growth(module: string, name: string, atOnce: number): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    const { ${name} } = await import(${JSON.stringify(module)});
    const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;
    const map = new ${name}();
    map.set(0, 0);
    gc();
    gc();
    const before = old();
    for (let key = 1; key <= 20_000; key += 1) {
      map.set(key, new Array(500).fill(key));
      map.delete(key - ${atOnce});
      if (key % 500 === 0) gc({ type: 'minor' });
    }
    console.log(old() - before);`;
  const flags = ['--expose-gc', '--initial-old-space-size=512', '--input-type=module', '-e', script];
  return Number(execFileSync(process.execPath, flags, { encoding: 'utf8' }));
}

test('what was deleted does not stay until the whole heap is collected', () => {
  const module = new URL('transient-map.ts', import.meta.url).href;
  for (const atOnce of [1, 32]) assert.ok(growth(module, 'TransientMap', atOnce) < 4_000_000, `${atOnce} at once`);
});
