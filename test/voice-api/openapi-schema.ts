/** A JSON Schema of the parts of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1) that the document of this server uses. */

const text = { type: 'string' } as const

const either = (one: object) => ({ anyOf: [{ $ref: '#/$defs/reference' }, one] })

/** An object that has no other members. */
const closed = (properties: Readonly<Record<string, object>>, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const each = (one: object) => ({ type: 'object', additionalProperties: one })

const list = (items: object) => ({ type: 'array', items })

const security = list(each(list(text)))

const parameter = closed(
  {
    name: text,
    in: { enum: ['query', 'header', 'path', 'cookie'] },
    description: text,
    required: { type: 'boolean' },
    schema: { type: 'object' },
  },
  ...['name', 'in', 'schema'],
)

const content = each(
  closed({ schema: { type: 'object' }, example: {}, examples: each(closed({ value: {} }, 'value')) }),
)

const header = closed({ description: text, schema: { type: 'object' } }, 'schema')

const response = closed({ description: text, headers: each(either(header)), content }, 'description')

const operation = closed(
  {
    operationId: text,
    summary: text,
    description: text,
    tags: list(text),
    security,
    parameters: list(either(parameter)),
    requestBody: closed({ required: { type: 'boolean' }, content }, 'content'),
    responses: {
      type: 'object',
      patternProperties: { '^([1-5]\\d\\d|default)$': either(response) },
      additionalProperties: false,
      minProperties: 1,
    },
  },
  ...['operationId', 'summary', 'tags', 'responses'],
)

const pathItem = closed({
  parameters: list(either(parameter)),
  get: operation,
  put: operation,
  post: operation,
  delete: operation,
})

const securityScheme = {
  oneOf: [
    closed(
      { type: { const: 'apiKey' }, name: text, in: { enum: ['query', 'header', 'cookie'] }, description: text },
      ...['type', 'name', 'in'],
    ),
    closed({ type: { const: 'http' }, scheme: text, bearerFormat: text, description: text }, 'type', 'scheme'),
  ],
}

export const OPENAPI_SCHEMA = {
  ...closed(
    {
      openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
      info: closed(
        { title: text, version: text, description: text, license: closed({ name: text, identifier: text }, 'name') },
        ...['title', 'version'],
      ),
      servers: list(closed({ url: { type: 'string', format: 'uri' } }, 'url')),
      security,
      tags: list(closed({ name: text, description: text }, 'name')),
      paths: {
        type: 'object',
        patternProperties: { '^/': pathItem },
        additionalProperties: false,
      },
      components: closed({
        securitySchemes: each(securityScheme),
        parameters: each(parameter),
        headers: each(header),
        responses: each(response),
        schemas: each({ type: 'object' }),
      }),
    },
    ...['openapi', 'info', 'paths'],
  ),
  $defs: { reference: closed({ $ref: { type: 'string', pattern: '^#/components/' } }, '$ref') },
}
