export { default } from "send";
