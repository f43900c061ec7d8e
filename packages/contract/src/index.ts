export * from "./administration/access.ts";
export * from "./administration/applications.ts";
export * from "./administration/console.ts";
export * from "./administration/examination.ts";
export * from "./administration/limits.ts";
export * from "./administration/accounts.ts";
export * from "./administration/audit.ts";
export * from "./administration/database.ts";
export * from "./administration/providers.ts";
export * from "./administration/sessions.ts";
export * from "./administration/refusals.ts";
export * from "./administration/rules.ts";
export * from "./administration/synchronization.ts";
export * from "./envelope.ts";
export * from "./api.ts";
export * from "./objects/deletion.ts";
export * from "./macros.ts";
export * from "./operations.ts";
export {
  type FileLinkData,
  fileLinkRequest,
  fileLinkResponse,
  fileOperations,
  descriptionParameters,
  finishParameters,
  storeParameters,
  type UploadData,
  uploadResponse,
} from "./files.ts";
export { asGiven, type Checked, parseFields, parseIfMatch, refusedWith, valueOf } from "./fields.ts";
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
} from "./objects/object-parameters.ts";
export * from "./objects/objects.ts";
export * from "./passwords.ts";
export * from "./providers.ts";
export * from "./seats.ts";
export * from "./second-factor.ts";
export * from "./secure.ts";
export * from "./service.ts";
export * from "./sync.ts";
export * from "./objects/views.ts";
