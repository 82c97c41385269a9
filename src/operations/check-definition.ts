/** Checks of an OperationDefinition before it is served: https://hl7.org/fhir/R4/operationdefinition.html. */
import { readdirSync } from 'node:fs'
import type { OperationDefinition, OperationDefinitionParameter } from 'fhir/r4'
import { DEFINITIONS, isWholeParameter, type Operation } from '../core/operation.ts'
import { validate } from '../fhir/validate/validate.ts'

/** Definitions already checked, as many types share an operation. */
const sound = new WeakSet<OperationDefinition>()

/** @throws Error naming the operation and the problem: no handler, or a definition that cannot be served. */
export function checkOperation({ name, code, definition, handler }: Operation): void {
  if (typeof handler !== 'function') throw new Error(`Operation ${name} has no handler`)
  const problem = sound.has(definition) ? undefined : problemOf(definition)
  if (problem === undefined) sound.add(definition)
  else throw new Error(`Operation ${name}: its OperationDefinition is broken: ${problem}`)
  if (definition.code !== code)
    throw new Error(`Operation ${name} is served as $${code}, but OperationDefinition.code is '${definition.code}'`)
}

/** @throws Error as checkOperation does, or when the definition is not for the system level. */
export function checkSystemOperation(operation: Operation): void {
  checkOperation(operation)
  if (!operation.definition.system)
    throw new Error(`Operation ${operation.name} is listed at system level, but OperationDefinition.system is not true`)
}

/** @throws Error as checkOperation does, or when the definition is not for `type`. */
export function checkOperationOf(type: string, operation: Operation): void {
  checkOperation(operation)
  const { name, definition } = operation
  if (!(definition.resource ?? []).some((resource) => resource === type || resource === 'Resource'))
    throw new Error(
      `Operation ${name}: provider ${type} declares it, but OperationDefinition.resource does not name ${type}`,
    )
}

/** @throws Error naming the files of resources/operation-definitions that no operation in `served` uses. */
export function checkAllServed(served: ReadonlySet<string>): void {
  const files = readdirSync(DEFINITIONS).filter((file) => file.endsWith('.json'))
  const unserved = files.filter((file) => !served.has(file.slice(0, -'.json'.length)))
  if (unserved.length > 0)
    throw new Error(`No provider serves the operation of resources/operation-definitions/${unserved.join(', ')}`)
}

function problemOf(definition: OperationDefinition): string | undefined {
  const [issue] = validate(definition)
  if (issue !== undefined) return issue.diagnostics
  const { id, url, system, type, instance, resource = [], parameter = [] } = definition
  if (id === undefined) return 'it has no id, so it cannot be read'
  if (url === undefined) return 'it has no url, which /metadata names it by'
  if (!system && !type && !instance) return 'none of system, type and instance is true, so it has no address'
  if (resource.length === 0 && (type || instance)) return 'resource names no type'
  return problemOfParameters(parameter)
}

/** Checked by use: an in and an out parameter may have the same name. */
function problemOfParameters(parameters: readonly OperationDefinitionParameter[]): string | undefined {
  const names = parameters.map(({ name, use }) => `${use} parameter '${name}'`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `it has two definitions of the ${twice}`
  for (const parameter of parameters) {
    const problem = problemOfParameter(parameter)
    if (problem !== undefined) return `${parameter.use} parameter '${parameter.name}' ${problem}`
  }
  return undefined
}

/** Checks only rules beyond R4, whose validation covers type or parts, names and uses. */
function problemOfParameter(parameter: OperationDefinitionParameter): string | undefined {
  if (!isWholeParameter(parameter)) return 'lacks a name, min or max'
  const { part, min, max } = parameter
  if (min < 0) return `has min ${min}; it must be 0 or more`
  if (max !== '*' && !/^[1-9]\d*$/.test(max)) return `has max '${max}'; it must be * or a whole number from 1`
  if (max !== '*' && min > Number(max)) return `has min ${min}, which is more than max ${max}`
  return part === undefined ? undefined : problemOfParameters(part)
}
