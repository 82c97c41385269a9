/**
 * Whether a document is JUnit XML as Jenkins takes it: the elements and attributes of junit-10.xsd, which are those of
 * https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
 */
import { isElement, isWhiteSpace, parseXml, type XmlElement } from '../../../src/fhir/xml/parse.ts'

interface Declared {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly children: readonly string[]
  readonly hasText?: true
}

const OUTPUTS = ['system-out', 'system-err']
const outcome: Declared = { required: [], optional: ['type', 'message'], children: [], hasText: true }
const output: Declared = { required: [], optional: [], children: [], hasText: true }

const SCHEMA: Readonly<Record<string, Declared>> = {
  testsuites: { required: [], optional: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'] },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['group', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'log', 'url'],
    children: ['testsuite', 'properties', 'testcase', ...OUTPUTS],
  },
  properties: { required: [], optional: [], children: ['property'] },
  property: { required: ['name', 'value'], optional: [], children: [] },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    children: ['skipped', 'error', 'failure', ...OUTPUTS],
  },
  skipped: outcome,
  error: outcome,
  failure: outcome,
  'system-out': output,
  'system-err': output,
}

/** SUREFIRE_TIME: seconds, with or without a fraction. */
const TIME = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/

/** The problems of a document, none where it conforms. @throws FhirError where it is no XML */
export function junitProblems(text: string): readonly string[] {
  const root = parseXml(text)
  const isRoot = root.name === 'testsuites' || root.name === 'testsuite'
  return [...(isRoot ? [] : [`${root.name} is no root`]), ...problemsOf(root)]
}

function problemsOf({ name, attributes, children }: XmlElement): readonly string[] {
  const declared = SCHEMA[name]
  if (declared === undefined) return [`<${name}> is not known`]
  const given = attributes.map((attribute) => attribute.name)
  const elements = children.filter(isElement)
  const texts = children.flatMap((child) => (isElement(child) ? [] : [child.text]))
  return [
    ...declared.required.filter((one) => !given.includes(one)).map((one) => `${name} lacks ${one}`),
    ...given
      .filter((one) => ![...declared.required, ...declared.optional].includes(one))
      .map((one) => `${name} has ${one}`),
    ...elements.filter((one) => !declared.children.includes(one.name)).map((one) => `${one.name} is within ${name}`),
    ...(declared.hasText || texts.every(isWhiteSpace) ? [] : [`${name} has text`]),
    ...attributes.filter((one) => one.name === 'time' && !TIME.test(one.value)).map((one) => `time is ${one.value}`),
    ...elements.flatMap(problemsOf),
  ]
}
