import { defineHook } from "@sallyport/macros";

/** Decides about a user who comes from an identity provider for the first time. */
export default defineHook({
  on: "xRestApi_DBCreateInit_xRestApiUserProvider",
  // 0 accepts the user; a positive number says that this hook has assigned one; a negative number refuses with 324.
  run(userObject, providerConfig, userUuid, name, surname, email) {
    return typeof email === "string" && email.endsWith("@example.com") ? 0 : -1;
  },
});
