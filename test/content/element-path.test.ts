/** The path of the element being read in a body, for errors about contents. */
import { describe, expect, test } from '@jest/globals'
import { pathInJson, pathInXml } from '../../src/content/element-path.ts'

describe('the path of what comes next', () => {
  test.each([
    ['{"resourceType":"Patient","photo":[{', 'Patient.photo[0]'],
    ['{"resourceType":"Patient","photo":[{"data":"QQ=="},{', 'Patient.photo[1]'],
    ['{"photo":[{', 'photo[0]'],
    ['{"resourceType":"Bundle","entry":[{"a":"}]\\"{"},{"resource":{', 'Bundle.entry[1].resource'],
    ['{', ''],
  ])('in JSON: %s', (text, path) => {
    expect(pathInJson(text)).toBe(path)
  })

  test.each([
    ['<Patient xmlns="http://hl7.org/fhir"><photo>', 'Patient.photo'],
    ['<?xml version="1.0"?><Patient><!-- <x> --><photo><title value=">"/></photo><photo>', 'Patient.photo[1]'],
    ['<Bundle><entry/><entry><resource><Binary>', 'Bundle.entry[1].resource'],
    ['', ''],
  ])('in XML: %s', (text, path) => {
    expect(pathInXml(text)).toBe(path)
  })

  test.each<[string, (text: string) => string, string, string]>([
    ['JSON', pathInJson, '{"resourceType":"Patient","photo":[{', '['],
    ['XML', pathInXml, '<Patient><photo>', '<a>'],
  ])('in %s is not known where that would take long', (_format, pathIn, begun, level) => {
    expect(pathIn(`${' '.repeat(400_000)}${begun}`)).toMatch(/^Patient\.photo/)
    expect(pathIn(`${' '.repeat(600_000)}${begun}`)).toBe('')
    expect(pathIn(`${begun}${level.repeat(900)}`)).toMatch(/^Patient\.photo/)
    expect(pathIn(`${begun}${level.repeat(1100)}`)).toBe('')
  })
})
