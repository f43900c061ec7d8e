/** Types for the used part of an untyped package. */
declare module "pg-copy-streams" {
  import type { Readable, Writable } from "node:stream";
  import type { Submittable } from "pg";

  interface CopyStreams {
    to(statement: string): Readable & Submittable;
    from(statement: string): Writable & Submittable;
  }
  const streams: CopyStreams;
  export default streams;
}
