/**
 * Adds up the counts that vitest left in `.cache/vitest`, one file per version of Node, and prints them as one line. A test
 * file that could not even be loaded counts as one failure. Exits with 1 unless a test ran and none failed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[];
}

const folder = fileURLToPath(new URL('../../.cache/vitest/', import.meta.url));
const reports = namesIn(folder).map((name) => JSON.parse(readFileSync(folder + name, 'utf8')) as Report);
const unloaded = ({ testResults }: Report): number =>
  testResults.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((one) => one.status === 'failed')).length;

const passed = reports.reduce((sum, report) => sum + report.numPassedTests, 0);
const failed = reports.reduce((sum, report) => sum + report.numFailedTests + unloaded(report), 0);
console.log(`${passed} passed, ${failed} failed`);
if (passed === 0 || failed > 0) process.exitCode = 1;

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
