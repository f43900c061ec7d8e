export { changeRecord } from "./change-record.ts";
export type {
  ClaimedRecord,
  PutOptions,
  PutOutcome,
  PutWithinOptions,
  PutWithinOutcome,
  RecordCount,
  RecordKind,
  RecordRepository,
  RecordRoom,
  RecordValue,
  Settlement,
  StoredRecord,
} from "./record-repository.ts";
