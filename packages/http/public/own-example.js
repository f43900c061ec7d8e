/* Shows the example of the class or macro that is selected in the path of a request. */
"use strict";

/** Plugin of Swagger UI. `description` returns the description that it shows. */
globalThis.ownExample = (description) => {
  const textOf = ({ value }) => JSON.stringify(value, null, 2);
  const follow =
    (change, { oas3Actions, oas3Selectors }) =>
    (pathMethod, parameter, value, ...more) => {
      const changed = change(pathMethod, parameter, value, ...more);
      const [path, method] = pathMethod;
      const body = description()?.paths[path]?.[method]?.requestBody?.content["application/json"];
      const examples = body?.examples ?? {};
      if (parameter.get("in") !== "path" || !Object.hasOwn(examples, value)) return changed;
      // A body that the user has written stays.
      const written = oas3Selectors.requestBodyValue(path, method) ?? "";
      if (written !== "" && !Object.values(examples).some((each) => textOf(each) === written)) return changed;
      const place = { pathMethod, contextType: "requestBody", contextName: "requestBody" };
      oas3Actions.setActiveExamplesMember({ name: value, ...place });
      oas3Actions.setRequestBodyValue({ value: textOf(examples[value]), pathMethod });
      return changed;
    };
  return () => ({ statePlugins: { spec: { wrapActions: { changeParamByIdentity: follow } } } });
};
