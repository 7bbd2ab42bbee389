/**
 * The bundler's plugins under types with which they can be called: their own describe CommonJS modules, which NodeNext takes for
 * objects with a `default`. Build time only.
 */
import type { Plugin } from 'rollup';
import commonjsPlugin from '@rollup/plugin-commonjs';
import jsonPlugin from '@rollup/plugin-json';
import nodeResolvePlugin from '@rollup/plugin-node-resolve';

type Factory = (options?: Readonly<Record<string, unknown>>) => Plugin;

export const commonjs = commonjsPlugin as unknown as Factory;
export const json = jsonPlugin as unknown as Factory;
export const nodeResolve = nodeResolvePlugin as unknown as Factory;
