/** The search parameters and compartments of R4, as the project has them as data: https://hl7.org/fhir/R4/searchparameter-registry.html. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Parameter {
  readonly code: string
  readonly type: 'string' | 'token' | 'reference' | 'date' | 'uri' | 'number' | 'quantity' | 'composite' | 'special'
  readonly url: string
  readonly expression: string
  /** Types that a reference may point to; `*` for any. */
  readonly target?: readonly string[]
  /** instant: a point in time. */
  readonly span?: 'instant' | 'date'
  /** The code system of an element that is a code. */
  readonly system?: string
  /** The type of a token's element; for a string, only where it is a name or an address, or a part of one. */
  readonly element?: 'ContactPoint' | 'Identifier' | 'boolean' | 'code' | 'string' | 'HumanName' | 'Address'
  readonly component?: readonly { readonly definition: string; readonly expression: string }[]
}

const R4 = join(import.meta.dirname, '../../../resources/r4')
const read = (file: string): unknown => JSON.parse(readFileSync(join(R4, file), 'utf8'))
const PARAMETERS = read('search-parameters.json') as Readonly<Record<string, readonly Parameter[]>>

/** By compartment, type of resource: codes of the parameters that make one a member, `{def}` for the center itself. */
export const COMPARTMENTS = read('compartments.json') as Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
>

/** Code systems of which R4 says that they are case-sensitive. */
export const SENSITIVE: ReadonlySet<string> = new Set(read('case-sensitive-systems.json') as readonly string[])

const known = new Map<string, ReadonlyMap<string, Parameter>>()

/** By code; `phonetic` is not served. */
export function parametersOf(type: string): ReadonlyMap<string, Parameter> {
  const found = known.get(type) ?? new Map(rowsOf(type).map((parameter) => [parameter.code, parameter]))
  known.set(type, found)
  return found
}

const rowsOf = (type: string): readonly Parameter[] =>
  ['Resource', 'DomainResource', type]
    .flatMap((base) => PARAMETERS[base] ?? [])
    .filter(({ code }) => code !== 'phonetic')

/** The parameters that a composite is made of, each with its expression below the composite's. */
export const partsOf = (type: string, { component = [] }: Parameter): readonly Parameter[] =>
  component.map(({ definition, expression }) => {
    const part = [...parametersOf(type).values()].find(({ url }) => url === definition)
    if (part === undefined) throw new Error(`${type} has no search parameter ${definition}`)
    return { ...part, expression }
  })
