import "reflect-metadata";
export { Container } from "inversify";
