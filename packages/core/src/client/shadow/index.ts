/** A shadow log as plain data, which any thread can open. */
import { besideModule } from '../bundled.ts';
import type { LogRef } from '../../port/log-module.ts';
import type { ShadowOptions } from './log-module.ts';

export const shadowRef = (options: ShadowOptions): LogRef => ({ module: besideModule('./log-module.js', import.meta.url).href, options });
