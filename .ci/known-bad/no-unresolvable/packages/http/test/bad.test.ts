export { word } from "@sallyport/no-such-package";
