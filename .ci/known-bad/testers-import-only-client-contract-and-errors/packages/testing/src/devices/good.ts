export { call } from "@sallyport/client";
export { schema } from "@sallyport/contract";
export { code } from "@sallyport/storage/errors";
