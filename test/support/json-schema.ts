/** Whether values conform to JSON Schemas (https://json-schema.org), by the validator of the MCP library. */
import { Ajv, addFormats } from '@modelcontextprotocol/server/validators/ajv'

const ajv = new Ajv({ allErrors: true, strictTypes: false })
addFormats(ajv)

/**
 * The problems of a value, none where it conforms.
 * @throws Error where the schema itself is wrong, or has a keyword that does not exist
 */
export function problemsOf(schema: object, value: unknown): readonly string[] {
  const conforms = ajv.compile(schema as Record<string, unknown>)
  conforms(value)
  return (conforms.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
}
