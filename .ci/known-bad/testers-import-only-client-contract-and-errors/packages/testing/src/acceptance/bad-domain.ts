export { word } from "@sallyport/core";
