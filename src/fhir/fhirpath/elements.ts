/**
 * Facts about R4 data that plain JSON does not show: choice elements and the type hierarchy
 * (https://hl7.org/fhir/R4/datatypes.html).
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Elements whose JSON name ends in their type: value[x], onset[x], ... */
export const CHOICE_ELEMENTS = words(`
  abatement additive age allowed amount answer asNeeded author born bounds characteristic chargeItem code collected
  content created date deceased defaultValue definingSubstance definition detail diagnosis dose doseNumber due
  effective entity event example fastingStatus fixed identified indication item legallyBinding location manufacturer
  maxValue medication minValue minimumVolume module multipleBirth name occurred occurrence offset onset
  participantEffective pattern performed probability procedure product quantity rate reported scheduled seriesDoses
  serviced source start statusReason studyEffective subject substance target time timing topic used value when`)

const CHOICE_SUFFIXES = words(`
  Address Age Annotation Attachment Base64Binary Boolean Canonical Code CodeableConcept Coding ContactDetail
  ContactPoint Contributor Count DataRequirement Date DateTime Decimal Distance Dosage Duration Expression HumanName Id
  Identifier Instant Integer Markdown Meta Money Oid ParameterDefinition Period PositiveInt Quantity Range Ratio
  Reference RelatedArtifact SampledData Signature String Time Timing TriggerDefinition UnsignedInt Uri Url UsageContext
  Uuid`)

const PARENTS = new Map(
  Object.entries({
    Quantity: 'Age Count Distance Duration MoneyQuantity SimpleQuantity',
    BackboneElement:
      'Dosage ElementDefinition MarketingStatus Population ProdCharacteristic ProductShelfLife SubstanceAmount Timing',
    string: 'code id markdown',
    uri: 'canonical oid url uuid',
    integer: 'positiveInt unsignedInt',
    Resource: 'Binary Bundle DomainResource Parameters',
  }).flatMap(([parent, children]) => children.split(' ').map((child) => [child, parent] as const)),
)

const SYSTEM_TYPES = new Map(
  Object.entries({
    Boolean: 'boolean',
    String: 'string uri base64Binary xhtml',
    Integer: 'integer',
    Decimal: 'decimal',
    Date: 'date',
    DateTime: 'date dateTime instant',
    Time: 'time',
  }).map(([name, types]) => [name, words(types)] as const),
)

const PRIMITIVE_SUFFIX =
  /^(?:Base64Binary|Boolean|Canonical|Code|Date|DateTime|Decimal|Id|Instant|Integer|Markdown|Oid|PositiveInt|String|Time|UnsignedInt|Uri|Url|Uuid)$/

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** `Quantity` -> `Quantity`, `DateTime` -> `dateTime`. */
export const typeOfSuffix = (suffix: string): string => (PRIMITIVE_SUFFIX.test(suffix) ? lowerFirst(suffix) : suffix)

/** The suffixes of `value[x]` whose values are of `type`. */
export const suffixesOf = (type: string): readonly string[] =>
  [...CHOICE_SUFFIXES].filter((suffix) => isTypeOf(typeOfSuffix(suffix), type))

/** The JSON name of the choice element `name` in `object`, without the `_` of one that has only extensions. */
export function choiceProperty(object: object, name: string): string | undefined {
  for (const key in object) {
    const property = key.startsWith('_') ? key.slice(1) : key
    if (property.startsWith(name) && CHOICE_SUFFIXES.has(property.slice(name.length))) return property
  }
  return undefined
}

/** A type specifier without the namespace FHIR or System, which cannot be distinguished in JSON. */
export const withoutNamespace = (type: string): string => type.replace(/^(?:FHIR|System)\./, '')

/** Whether `type` is `expected` or derived from it; System types such as `Boolean` match their FHIR types too. */
export function isTypeOf(type: string, expected: string): boolean {
  const system = SYSTEM_TYPES.get(expected)
  for (let current: string | undefined = type; current !== undefined; current = parentOf(current)) {
    if (current === expected || system?.has(current)) return true
  }
  // A literal `true` or 'x' has only a System type, which matches the FHIR type of the same name.
  return SYSTEM_TYPES.has(type) && expected === lowerFirst(type)
}

const ROOTS: ReadonlySet<string> = new Set(['Element', 'Resource', 'xhtml', ...SYSTEM_TYPES.keys()])

/** A type that is not listed is a data type; resources carry their type in the data (see node.ts). */
function parentOf(type: string): string | undefined {
  return ROOTS.has(type) ? undefined : (PARENTS.get(type) ?? 'Element')
}

/** `isTypeOf` for resources: all but Binary, Bundle and Parameters are DomainResources. */
export const isResourceTypeOf = (type: string, expected: string): boolean =>
  type === expected || expected === 'Resource' || (expected === 'DomainResource' && PARENTS.get(type) !== 'Resource')
