/** `@stoplog/connectors/http`: an HTTP endpoint as a sink. */
export { httpSink, type HttpRecord, type HttpSink } from './http-sink.ts';
export type { Refusal } from './endpoint.ts';
