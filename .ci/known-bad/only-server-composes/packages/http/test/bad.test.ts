export { Container } from "inversify";
