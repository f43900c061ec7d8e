export { word } from "@sallyport/http";
