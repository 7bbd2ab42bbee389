/** Pieces of the result schemas that the lists of the engine's objects share. */

export const word = { type: 'string' } as const;
export const words = { type: 'array', items: word } as const;
/** Labels and options: names with a text each. */
export const named = { type: 'object', properties: {}, required: [], additionalProperties: word } as const;

/** Summary of a list: how many records came. */
export const counted = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 0 } },
  required: ['count'],
  additionalProperties: false,
} as const;
