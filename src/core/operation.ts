/**
 * An operation: its OperationDefinition (ours are JSON in resources/operation-definitions) and a handler.
 * Paths, methods and parameter checks come from the definition: https://hl7.org/fhir/R4/operations.html.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationDefinition, OperationDefinitionParameter } from 'fhir/r4'
import type { Issue } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'
import type { CallSession } from './call-session.ts'
import type { ClinicAccess } from './context.ts'
import type { Integrations } from './ports.ts'

/** The in parameters by name, checked against the definition: a single value where max is 1, else a list. */
export type OperationInput = Readonly<Record<string, unknown>>

/** Words that programs and agents send in place of an optional argument; it then counts as absent. */
const NOT_GIVEN: ReadonlySet<string> = new Set([
  ...['none', 'n/a', 'not applicable', 'not available', 'not provided', 'not specified'],
  ...['unknown', 'unspecified', '-', '--'],
])

/** Whether the value of an optional argument means that there is none. */
export const isNotGiven = (value: unknown): boolean =>
  typeof value === 'string' && NOT_GIVEN.has(value.trim().toLowerCase())

/** The same where the argument may also hold what a program wrote for its null. A last name that is asked for may be Null. */
export const isNothing = (value: unknown): boolean => isNotGiven(value) || value === 'null' || value === 'undefined'

/** An argument of a tool call that the tool does not have, with the one that was probably meant. */
export interface IgnoredArgument {
  readonly name: string
  /** Absent if no name is near. */
  readonly nearest?: string
}

export interface OperationRequest {
  readonly access: ClinicAccess
  readonly input: OperationInput
  /** Arguments of the tool call, or parameters of a lenient client, that the definition does not have; absent if there are none. */
  readonly ignored?: readonly IgnoredArgument[]
  /** The type the operation was called on; absent at system level, and in a tool call. */
  readonly type?: string
  /** The resource the operation was called on; absent at type and system level. */
  readonly id?: string
  /** The version the operation was called on, where it can be: see Operation.onVersions. */
  readonly version?: number
  /** The live call the request belongs to, when it came by a tool route. */
  readonly call?: CallSession
  /** The same for each repeat of a tool call; absent where a repeat cannot be distinguished from another request. */
  readonly repeatKey?: string
  /** The address of this server as the client sees it, when the request came over FHIR. */
  readonly base?: string
  /** Path and query of the request, when it came over FHIR. */
  readonly url?: string
  /** Prefer: respond-async. */
  readonly prefersAsync?: boolean
  /** Prefer: handling=lenient. */
  readonly isLenient?: boolean
  /** How a response of many resources is split into pages, when the request came over FHIR. */
  readonly paging?: Paging
  /** The ports to external systems. */
  readonly integrations: Integrations
  /** Records, for the audit trail, the id of each patient whose data were used and whom the response does not name. */
  readonly tellPatient?: (id: string) => void
}

interface Paging {
  /** Most resources on a page. */
  readonly maxCount: number
  /** Most included resources of a page. */
  readonly mostIncluded: number
  /** The cursor of the previous page, from its `Searchset`. */
  readonly cursor?: string
}

/**
 * The result of an operation: a resource (the definition's only out parameter, `return`), a page of resources instead,
 * out parameters by name, or the acceptance of work in the background.
 */
export type OperationOutput = OperationAnswer | Searchset | Accepted

export type OperationAnswer = AnyResource | { readonly [parameter: string]: unknown }

/** Progress of work in the background, and where it is read: https://hl7.org/fhir/R4/async.html. */
interface WorkState {
  /** The parameters with which the same operation, by GET, returns the progress, and finally the result. */
  readonly query?: Readonly<Record<string, string>>
  /** The address, where it is that of a job (jobs/). */
  readonly address?: string
  readonly progress: string
  /** Seconds before the next poll. */
  readonly retryAfterSeconds: number
}

/** The response while the work continues in the background: status 202. */
export class Accepted {
  readonly answer: OperationAnswer
  readonly state: WorkState | undefined

  constructor(answer: OperationAnswer, state?: WorkState) {
    this.answer = answer
    this.state = state
  }
}

export type OperationHandler = (request: OperationRequest) => Promise<OperationOutput>

export interface Operation {
  /** The id of its definition: `patient-match`. Our own definitions are in files of that name. */
  readonly name: string
  /** The code as in the path, without `$`: `match`. */
  readonly code: string
  readonly definition: OperationDefinition
  readonly handler: OperationHandler
  /** Whether it can also be called on a version of a resource: `/Patient/1/_history/2/$meta`. */
  readonly onVersions: boolean
  /** Ends the work in the background of an operation, on a DELETE where its progress is read. */
  readonly cancel: OperationHandler | undefined
  /** With `Prefer: respond-async` it works in the background by a way of its own. */
  readonly isInBackground: boolean
}

/** A parameter with the members that operations/check-definition.ts requires before an operation is served. */
export type OperationParameter = Omit<OperationDefinitionParameter, 'part'> & {
  readonly name: string
  readonly min: number
  readonly max: string
  readonly part?: OperationParameter[] | undefined
}

export const isWholeParameter = (parameter: OperationDefinitionParameter): parameter is OperationParameter =>
  parameter.name !== undefined &&
  parameter.min !== undefined &&
  parameter.max !== undefined &&
  (parameter.part ?? []).every(isWholeParameter)

export const parametersOf = (
  { parameter = [] }: Pick<OperationDefinition, 'parameter'>,
  use: 'in' | 'out',
): readonly OperationParameter[] => parameter.filter((one) => one.use === use).filter(isWholeParameter)

/** The folder of the OperationDefinitions. */
export const DEFINITIONS = join(import.meta.dirname, '../../resources/operation-definitions')

/**
 * @param source the OperationDefinition, or the name of its file in resources/operation-definitions
 * @throws Error naming the file when the OperationDefinition cannot be read; it stops the start.
 */
export function defineOperation(
  source: OperationDefinition | string,
  handler: OperationHandler,
  {
    onVersions = false,
    cancel,
    isInBackground = cancel !== undefined,
  }: Partial<Pick<Operation, 'onVersions' | 'cancel' | 'isInBackground'>> = {},
): Operation {
  const definition = typeof source === 'string' ? readDefinition(source) : source
  const { id, code = '' } = definition
  const name = typeof source === 'string' ? source : (id ?? code)
  return { name, code, definition, handler, onVersions, cancel, isInBackground }
}

function readDefinition(name: string): OperationDefinition {
  const file = join(DEFINITIONS, `${name}.json`)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OperationDefinition
  } catch (cause) {
    throw new Error(`Operation ${name}: resources/operation-definitions/${name}.json cannot be read`, { cause })
  }
}

interface Page {
  readonly matches: readonly Versioned[]
  readonly included: readonly Versioned[]
  /** Matches over all pages, where that is known. */
  readonly total?: number | undefined
  /** The parameters that were used, in order, for the links; without the cursor. */
  readonly used: readonly (readonly [name: string, value: string])[]
  /** Cursor of the next page, when there is one. */
  readonly next?: string | undefined
  readonly warnings: readonly Issue[]
}

/** The answer of an operation that finds resources: a page of them, sent as stored. A class, to distinguish it from out parameters by name. */
export class Searchset {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }
}
