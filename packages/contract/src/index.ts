export * from "./administration/access.ts";
export * from "./administration/applications.ts";
export * from "./administration/examination.ts";
export * from "./administration/limits.ts";
export * from "./administration/operations.ts";
export * from "./administration/accounts.ts";
export * from "./administration/refusals.ts";
export * from "./administration/rules.ts";
export * from "./administration/synchronization.ts";
export * from "./envelope.ts";
export { parseExactJson } from "./exact-json.ts";
export {
  type FileLinkData,
  fileLinkRequest,
  fileLinkResponse,
  descriptionParameters,
  finishParameters,
  storeParameters,
  type UploadData,
  uploadResponse,
} from "./files.ts";
export { parseFields, parseIfMatch, refusedWith } from "./fields.ts";
export * from "./header-names.ts";
export * from "./json.ts";
export * from "./log-in.ts";
export * from "./model.ts";
export * from "./multi.ts";
export {
  deleteParameters,
  listParameters,
  listRequest,
  objectParameters,
  purgeParameters,
  trashParameters,
  type Serialization,
  type SerializationField,
  updateParameters,
} from "./object-parameters.ts";
export * from "./objects.ts";
export * from "./passwords.ts";
export * from "./providers.ts";
export * from "./seats.ts";
export * from "./second-factor.ts";
export * from "./secure.ts";
export * from "./service.ts";
export * from "./sync.ts";
