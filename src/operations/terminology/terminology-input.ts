/** Input parameters shared by the terminology operations. */
import type { StructureDefinition } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { OperationInput } from '../../core/operation.ts'
import { uriQuery } from '../../core/terminology.ts'
import { type ElementStructure, elementsByName } from '../../fhir/definitions.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { checkResource } from '../../fhir/validate/validate.ts'
import { canonicalOf, canonicalText } from '../../terminology/canonical.ts'
import { unknownCanonical } from '../../terminology/member.ts'
import type { Terms, TermsType } from '../../terminology/packaged.ts'
import type { RecordedCode, ValidateOptions } from '../../terminology/validate-code.ts'

/**
 * The name of the only one of several alternative parameters that is given. @throws FhirError 400 unless exactly one is
 */
export function exactlyOneOf<Name extends string>(input: OperationInput, names: readonly Name[]): Name {
  const given = names.filter((name) => input[name] !== undefined)
  const [name] = given
  if (name !== undefined && given.length === 1) return name
  const listed = names.join(', ')
  throw badRequest(
    given.length === 0
      ? `One of the parameters ${listed} must be given`
      : `Only one of the parameters ${listed} may be given, but there are ${given.join(' and ')}`,
    { expression: given.length === 0 ? [...names] : given },
  )
}

/** The resource of an operation, or its canonical URL. */
export type Subject<Type extends TermsType> =
  | { readonly given: Terms[Type]; readonly canonical?: never }
  | { readonly canonical: string; readonly given?: never }

interface Naming<Type extends TermsType> {
  readonly type: Type
  /** The names of the parameters for the resource itself, and for the version that belongs to `url`. */
  readonly inline: string
  readonly version: string
}

/**
 * The subject given by the id in the URL, as a resource in the request, or by `url`.
 * @throws FhirError 400, 404, 410 or 422
 */
export async function subjectOf<Type extends TermsType>(
  ctx: Context,
  input: OperationInput,
  id: string | undefined,
  { type, inline, version }: Naming<Type>,
): Promise<Subject<Type>> {
  if (id !== undefined) {
    refuse(input, ['url', inline], `The address says which ${type} is meant`)
    return { given: ofVersion((await ctx.read(type, id)).resource as Terms[Type], version, input[version]) }
  }
  if (exactlyOneOf(input, ['url', inline]) === inline) {
    checkResource(input[inline], type)
    return { given: ofVersion(input[inline] as Terms[Type], version, input[version]) }
  }
  return { canonical: versioned(String(input.url), input[version] as string | undefined) }
}

function refuse(input: OperationInput, names: readonly string[], why: string): void {
  const given = names.filter((name) => input[name] !== undefined)
  if (given.length > 0) throw badRequest(`${why}, so ${given.join(' and ')} may not be given`, { expression: given })
}

/** Returns the resource. @throws FhirError 400 when another version is requested */
export function ofVersion<Resource extends Terms[TermsType]>(
  resource: Resource,
  parameter: string,
  version: unknown,
): Resource {
  if (version === undefined || version === resource.version) return resource
  const own = resource.version === undefined ? 'no version' : `version ${resource.version}`
  throw badRequest(
    `Parameter ${parameter} is ${String(version)}, but the ${resource.resourceType} that the request is about has ${own}`,
    { expression: parameter },
  )
}

/** Adds a version to a canonical. @throws FhirError 400 when the canonical has another version */
export function versioned(canonical: string, version: string | undefined): string {
  const named = canonicalOf(canonical)
  if (version === undefined) return canonicalText(named)
  if (named.version !== undefined && named.version !== version)
    throw badRequest(`${canonical} has another version than ${version}, which is requested too`)
  return canonicalText({ url: named.url, version })
}

/** Returns `found`. @throws FhirError 404 naming the missing definition, when it is undefined */
export function requireFound<Found>(found: Found | undefined, what: string, canonical: string): Found {
  if (found === undefined) throw unknownCanonical(what, canonical)
  return found
}

interface CodedNames {
  /** The parameter for the version of the code system, if any. */
  readonly version?: string
  /** The code system, when the operation is about one. */
  readonly system?: string
}

/** A code whose system may be missing, as a value set may imply it. */
export type InputCode = Omit<RecordedCode, 'system'> & { readonly system?: string }

/**
 * The codes in the input: a single one, or all codings of a CodeableConcept.
 * @throws FhirError 400 when there is none
 */
export function inputCodes(input: OperationInput, names: CodedNames): readonly InputCode[] {
  switch (exactlyOneOf(input, ['code', 'coding', 'codeableConcept'])) {
    case 'coding':
      return [fromCoding(input.coding, 'coding', names)]
    case 'codeableConcept':
      return codingsOf(isObject(input.codeableConcept) ? input.codeableConcept : {}).map((coding, index) =>
        fromCoding(coding, `codeableConcept.coding[${index}]`, names),
      )
    case 'code':
      return [
        inputCode(input.code as string, {
          system: (input.system as string | undefined) ?? names.system,
          version: names.version === undefined ? undefined : (input[names.version] as string | undefined),
          display: input.display as string | undefined,
        }),
      ]
  }
}

/** Most codings of a CodeableConcept. */
const MAX_CODINGS = 100

function codingsOf({ coding }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!Array.isArray(coding) || coding.length === 0)
    throw badRequest('Parameter codeableConcept has no coding', { expression: 'codeableConcept.coding' })
  if (coding.length > MAX_CODINGS)
    throw badRequest(`Parameter codeableConcept has ${coding.length} codings; the maximum is ${MAX_CODINGS}`, {
      expression: 'codeableConcept.coding',
    })
  return coding
}

/** The code of a Coding. @throws FhirError 400 naming the element that is missing or not a string */
export function fromCoding(coding: unknown, where: string, names: Pick<CodedNames, 'system'> = {}): InputCode {
  const fields = isObject(coding) ? coding : {}
  const text = (name: 'system' | 'version' | 'code' | 'display'): string | undefined => {
    const value = fields[name]
    if (value === undefined || (typeof value === 'string' && value !== '')) return value
    throw badRequest(`Parameter ${where} has a ${name} that is not a string`, { expression: `${where}.${name}` })
  }
  const code = text('code')
  if (code === undefined) throw badRequest(`Parameter ${where} has no code`, { expression: `${where}.code` })
  return inputCode(code, { system: text('system') ?? names.system, version: text('version'), display: text('display') })
}

const inputCode = (
  code: string,
  { system, version, display }: { [Name in 'system' | 'version' | 'display']: string | undefined },
): InputCode => ({
  code,
  ...(system === undefined ? {} : { system }),
  ...(version === undefined ? {} : { version }),
  ...(display === undefined ? {} : { display }),
})

/** The code, which must have a system. @throws FhirError 400 when it has none */
export function withSystem(code: InputCode): RecordedCode {
  const { system } = code
  if (system === undefined)
    throw badRequest(`The system of the code ${code.code} is missing; give it as system, or in the coding`, {
      expression: 'system',
    })
  return { ...code, system }
}

/** Only current definitions are available. @throws FhirError 422 when one is newer than the requested date */
export function checkDate(date: unknown, definitions: readonly Pick<Terms[TermsType], 'url' | 'date'>[]): void {
  if (typeof date !== 'string') return
  const newer = definitions.find((definition) => definition.date !== undefined && isAfter(definition.date, date))
  if (newer === undefined) return
  throw new FhirError(422, {
    code: 'not-supported',
    diagnostics: `${newer.url ?? 'The definition'} is of ${newer.date}; its state on ${date} is not kept here`,
    expression: 'date',
  })
}

/** Whether the whole of `one` is after `other`: 2020-05 is not after 2020-05-03. */
function isAfter(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length, 'YYYY-MM-DD'.length)
  return one.slice(0, length) > other.slice(0, length)
}

/**
 * The canonical of the value set to which an element of a stored profile or an R4 type is bound.
 * @param context `http://hl7.org/fhir/StructureDefinition/Patient#Patient.gender`
 * @throws FhirError 400 when the context names no element, 404 when there is no binding
 */
export async function boundValueSet(ctx: Context, context: string): Promise<string> {
  const [canonical = '', path = ''] = context.split('#')
  if (path === '')
    throw badRequest(
      `context '${context}' names no element; it is <url of a StructureDefinition>#<path of an element>`,
      {
        expression: 'context',
      },
    )
  const bound = (await boundByProfile(ctx, canonicalOf(canonical).url, path)) ?? boundByType(path)
  return requireFound(bound, 'binding of', context)
}

async function boundByProfile(ctx: Context, url: string, path: string): Promise<string | undefined> {
  const found = await ctx.search<StructureDefinition>('StructureDefinition', uriQuery('url', [url]))
  const elements = found.flatMap(({ resource }) => [
    ...(resource.differential?.element ?? []),
    ...(resource.snapshot?.element ?? []),
  ])
  return elements.find((element) => (element.id === path || element.path === path) && element.binding?.valueSet)
    ?.binding?.valueSet
}

function boundByType(path: string): string | undefined {
  const [first = '', ...steps] = path.split('.')
  let type = first
  let element: ElementStructure | undefined
  for (const step of steps) {
    element = elementsByName(type).get(step.replace('[x]', ''))
    type = [...(element?.properties.values() ?? [])][0] ?? ''
  }
  return element?.binding
}

/** The options of $validate-code for both value sets and code systems. */
export const validateOptions = ({ abstract, displayLanguage }: OperationInput): ValidateOptions => ({
  abstract: abstract === true,
  ...(typeof displayLanguage === 'string' ? { displayLanguage } : {}),
})
