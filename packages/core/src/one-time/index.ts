export type {
  OneTimeIssue,
  OneTimeKind,
  OneTimePayload,
  OneTimeRepository,
  OneTimeRoom,
  OneTimeSecret,
} from "./one-time-repository.ts";
export { randomUuid } from "./random-uuid.ts";
