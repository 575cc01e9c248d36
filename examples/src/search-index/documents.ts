/** The documents: the airports of the United States, each once, under its code. */
import { topic, type Topic } from '@stoplog/core';
import { z } from 'zod';

export const Document = z.object({ name: z.string(), city: z.string(), state: z.string() });
export type Document = z.infer<typeof Document>;

export const documents: Topic<string, Document> = topic('documents', { key: z.string(), value: Document, partitions: 2 });
