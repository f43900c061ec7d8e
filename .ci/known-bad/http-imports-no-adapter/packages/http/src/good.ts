import { createServer } from "node:http";
import express from "express";
import { word } from "@sallyport/core";
import { schema } from "@sallyport/contract";
export const parts = [createServer, express, word, schema];
