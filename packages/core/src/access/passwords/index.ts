export {
  requestPasswordReset,
  type RequestPasswordResetInput,
  type ResetServices,
  PrepareResetMail,
} from "./request-password-reset.ts";
export * from "./change-own-password.ts";
export * from "./change-password.ts";
export * from "./confirm-reset.ts";
export * from "./password-policy.ts";
export * from "./password-reset.ts";
export * from "./replace-password.ts";
