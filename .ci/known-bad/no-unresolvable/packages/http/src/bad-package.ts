export { word } from "no-such-package-anywhere";
