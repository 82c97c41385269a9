/**
 * GET /tools: the live-call tools with their arguments as JSON Schema (https://json-schema.org/draft/2020-12/schema), so
 * that a voice platform's agent is set up from it. It says nothing of any clinic, so it needs no credential.
 */
import Router from '@koa/router'
import type { Tool, ToolFamilies } from '../calls/tool.ts'
import { type OperationParameter, parametersOf } from '../core/operation.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'

export const TOOLS = 'tools'

export function toolListRoutes(families: ToolFamilies): SideRouter {
  const router = new Router()
  const list = JSON.stringify({ families: Object.entries(families).map(familyOf) })
  router.get(`/${TOOLS}`, (koa) => {
    koa.type = 'application/json'
    koa.body = list
  })
  return sideRouter([TOOLS], router)
}

const familyOf = ([family, tools]: readonly [string, ToolFamilies[string]]) => ({
  name: family,
  tools: Object.entries(tools).map(([name, tool]) => toolOf(family, name, tool)),
})

function toolOf(family: string, name: string, { operation: { definition } }: Tool) {
  const { id, description } = definition
  const taken = parametersOf(definition, 'in')
  return {
    name,
    description,
    path: `/${family}/${name}`,
    operation: `OperationDefinition/${id}`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(taken.map((one) => [one.name, schemaOf(one)])),
      required: taken.filter(({ min }) => min > 0).map((one) => one.name),
    },
  }
}

function schemaOf({ type, max, documentation }: OperationParameter) {
  const one = JSON_TYPES[type ?? ''] ?? 'string'
  const value = max === '1' ? { type: one } : { type: 'array', items: { type: one } }
  return documentation === undefined ? value : { ...value, description: documentation }
}

/** JSON types of FHIR types that are not strings in JSON. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  decimal: 'number',
  integer: 'integer',
  positiveInt: 'integer',
  unsignedInt: 'integer',
}
