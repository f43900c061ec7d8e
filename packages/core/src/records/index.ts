export { changeRecord } from "./change-record.ts";
export type {
  ClaimedRecord,
  PutOptions,
  PutOutcome,
  PutWithinOutcome,
  RecordCount,
  RecordKind,
  RecordRepository,
  RecordRoom,
  RecordValue,
  Settlement,
  StoredRecord,
} from "./record-repository.ts";
