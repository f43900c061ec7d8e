import { defineHook } from "@sallyport/macros";

/** Lets in who has an address of the company, where the provider vouches for addresses, and nobody else. */
export default defineHook({
  on: "xRestApi_DBCreateInit_xRestApiUserProvider",
  run(userObject, providerConfig, userUuid, name, surname, email) {
    const isProven = providerConfig.type === "google" || providerConfig.type === "apple";
    return isProven && typeof email === "string" && email.endsWith("@example.com") ? 0 : -1;
  },
});
