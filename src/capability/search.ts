/** Search parameters and modifiers in the CapabilityStatement that are not defined per resource type. */
import type { CapabilityStatementRestResourceSearchParam } from 'fhir/r4'
import { MODIFIERS } from '../search/query/criterion.ts'

type Declared = CapabilityStatementRestResourceSearchParam

const OF_EVERY_TYPE: readonly Declared[] = [
  { name: '_filter', type: 'special', documentation: 'Tests joined by and, or and not, as R4 defines them' },
  { name: '_has', type: 'special', documentation: '_has:Type:reference:parameter, nested as deep as chains go' },
  { name: '_list', type: 'special', documentation: 'What the entries of a List refer to, by its id' },
]

const FULL_TEXT: readonly Declared[] = [
  {
    name: '_content',
    definition: 'http://hl7.org/fhir/SearchParameter/Resource-content',
    type: 'string',
    documentation: 'Words of the whole resource; AND, OR, NOT, parentheses, word*',
  },
  {
    name: '_text',
    definition: 'http://hl7.org/fhir/SearchParameter/DomainResource-text',
    type: 'string',
    documentation: 'Words of the narrative; AND, OR, NOT, parentheses, word*',
  },
]

/** The special parameters of every type. @param fullText whether full-text search is enabled */
export const specialParameters = (fullText: boolean): readonly Declared[] =>
  fullText ? [...OF_EVERY_TYPE, ...FULL_TEXT] : OF_EVERY_TYPE

/** The supported modifiers as text, as a CapabilityStatement has no element for them. */
export const modifiersInWords = (): string =>
  `Search modifiers: ${Object.entries(MODIFIERS)
    .filter(([, modifiers]) => modifiers.length > 0)
    .map(([type, modifiers]) => `${type} ${modifiers.map((one) => `:${one}`).join(' ')}`)
    .join('; ')}; every type :missing; references also the type that they point to.`
