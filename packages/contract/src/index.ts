export {
  encryptedMessage,
  type Envelope,
  envelopeOf,
  failureEnvelope,
  type Status,
  statusSchema,
  successMessage,
  successStatus,
} from "./envelope.ts";
export { parseFields, parseIfMatch, refusedWith } from "./fields.ts";
export { headerNames } from "./header-names.ts";
export { anyJson, checkJsonLimits, jsonLimits, parseJsonParameter } from "./json.ts";
export {
  doubleLogInResponse,
  encryptedLogInRequest,
  isEncryptedLogIn,
  logInCredentials,
  logInFaultOrder,
  logInOptions,
  type LogInRequest,
  logInRequest,
  secureLogInFaultOrder,
  secureLogInRequest,
  secureLogInResponse,
  serverKeyResponse,
  sessionLogInResponse,
  tokenLogInResponse,
} from "./log-in.ts";
export {
  type AttributeData,
  attributeType,
  classDefinition,
  type ClassDefinitionData,
  classStructure,
  type ClassStructureData,
  deleteRule,
  modelStructure,
  type ModelStructureData,
  permission,
  type RightData,
} from "./model.ts";
export {
  maximumItems,
  multiItem,
  multiItems,
  multiParameters,
  multiRequest,
  multiResponse,
  multiResult,
} from "./multi.ts";
export {
  deleteParameters,
  listParameters,
  objectParameters,
  purgeParameters,
  recyclerParameters,
  type Serialization,
  type SerializationField,
  updateParameters,
} from "./object-parameters.ts";
export {
  attributesRequest,
  bareObjectSchema,
  type CountData,
  countResponse,
  type LockData,
  lockResponse,
  type ObjectData,
  type ObjectListData,
  objectListSchema,
  objectSchema,
  ownUserSchema,
  purgeResponse,
  type ReadersData,
  readersRequest,
  readersResponse,
  type RecyclerData,
  recyclerSchema,
} from "./objects.ts";
export {
  changePasswordFaultOrder,
  changePasswordRequest,
  changePasswordResponse,
  confirmChangePasswordRequest,
  confirmResetPasswordFaultOrder,
  confirmResetPasswordRequest,
  encryptedChangePasswordRequest,
  isEncryptedChange,
  resetPasswordRequest,
} from "./passwords.ts";
export {
  linkingLogInRequest,
  linksResponse,
  providerCallbackParameters,
  providerLogInParameters,
  providerLogInResponse,
  returnCodeRequest,
  splitAppNames,
  unassignedMessage,
  unassignedResponse,
} from "./providers.ts";
export {
  enrolledFactorResponse,
  factorStateResponse,
  factorTokenRequest,
  secondFactorParameters,
} from "./second-factor.ts";
export * from "./secure.ts";
export {
  type ApiDescription,
  apiDescription,
  emptyResponse,
  executeParameters,
  keySetResponse,
  type ServiceData,
  serviceResponse,
} from "./service.ts";
