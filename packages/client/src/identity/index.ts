export { changePassword, confirmPasswordChange, type PasswordChange } from "./change-password.ts";
export {
  type CodeLogInFields,
  type CodeTrade,
  logInWithCode,
  returnedCode,
  startCodeLogIn,
  type StartedCodeLogIn,
} from "./code-log-in.ts";
export { customLogIn } from "./custom-log-in.ts";
export { type LinkingFields, linkingLogIn } from "./linking-log-in.ts";
export { type Link, listLinks, removeLinks } from "./links.ts";
export { providerAddress, type ProviderAnswer, providerAnswer, type ProviderLogInFields } from "./provider-log-in.ts";
export { confirmResetPassword, type PasswordReset, type ResetOptions, resetPassword } from "./reset-password.ts";
export {
  confirmSecondFactor,
  type EnrolledFactor,
  enrolSecondFactor,
  readSecondFactor,
  removeSecondFactor,
  type SecondFactor,
  validateSecondFactor,
} from "./second-factor.ts";
