export { word } from "@sallyport/core";
export { code } from "@sallyport/storage/errors";
