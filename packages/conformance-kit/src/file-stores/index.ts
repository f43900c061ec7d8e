export type { FileStoreCheck, FileStoreGroup, FileStoreNeed } from "./file-store-check.ts";
export { fileStoreGroups } from "./file-store-check.ts";
export { fileStoreChecks, numberOfFileStoreChecks } from "./file-store-checks.ts";
export { fileStoreCheckAppliesTo, fileStoreConformance, runFileStoreCheck } from "./file-store-conformance.ts";
export type { FileStoreHook, FileStoreSubject, FileStoreUnderTest, OpenFileStore } from "./file-store-under-test.ts";
