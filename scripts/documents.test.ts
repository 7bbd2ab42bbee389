/** Documents and the tree: what a document names as a file or folder of this repository is there, and so is every heading it links to. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT, filesIn } from './lib/sources.ts';

const DOCUMENTS = ['README.md', 'SECURITY.md', ...filesIn(['docs', 'packaging'], (name) => name.endsWith('.md'))];
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Words in backquotes that begin with a folder of the repository. Tests may be named without their ending. */
const NAMED = /`((?:bench|broker|certs|cli|docs|frontend|packaging|scripts|shared|stubs|systemd|test)\/[\w./@-]*)`/g;

/** As GitHub makes them of headings. */
const anchorsOf = (file: string): string[] =>
  [...text(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('files and folders that documents name are there', () => {
  const missing = DOCUMENTS.flatMap((file) =>
    [...text(file).matchAll(NAMED)]
      .map(([, path = '']) => path)
      .filter((path) => !['', '.test.ts', '.ts'].some((ending) => existsSync(join(ROOT, `${path}${ending}`))))
      .map((path) => `${file}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('links lead to a file, and to a heading of it', () => {
  const broken = DOCUMENTS.flatMap((file) =>
    [...text(file).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
      .filter(([, path = '', heading]) => {
        const target = path === '' ? file : join(dirname(file), path);
        return !existsSync(join(ROOT, target)) || (heading !== undefined && !anchorsOf(target).includes(heading));
      })
      .map(([link]) => `${file}: ${link}`),
  );
  assert.deepEqual(broken, []);
});
