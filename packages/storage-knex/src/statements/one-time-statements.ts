import type { OneTimeIssue, OneTimePayload } from "@sallyport/core";
import type { Statement } from "../statement.ts";

export interface OneTimeStatements {
  /** 1 kind, 2 digest, 3 subject or null, 4 payload, 5 lifetime, 6 offset of the clock. Does nothing if one with this digest is there, good or not. */
  readonly issue: Statement;
  /** The same, with 7 room of the subject, 8 room in all, 0 being none that is limited. Answers what became of it. */
  readonly issueWithin: Statement;
  /** 1 kind, 2 digest, 3 offset. Takes one away whose time is over. */
  readonly clear: Statement;
  /** 1 kind, 2 digest, 3 offset. */
  readonly read: Statement;
  /** 1 kind, 2 digest, 3 offset. Takes it away and returns it. */
  readonly consume: Statement;
  /** 1 kind, 2 subject, 3 offset. Only those that are good. */
  readonly revoke: Statement;
  /** 1 limit, 2 offset. */
  readonly sweep: Statement;
}

export interface OneTimeIssueRow {
  /** `known`: one with this digest is good. */
  readonly outcome: OneTimeIssue | "known";
}

export interface OneTimeRow {
  readonly payload: OneTimePayload;
}
