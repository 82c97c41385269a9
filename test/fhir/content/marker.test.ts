/** The marker in a stored text. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  contentElement,
  contentMarker,
  contentOf,
  hasMarkers,
  markersIn,
  splitAtMarkers,
} from '../../../src/fhir/content/marker.ts'

const SHA = 'a0'.repeat(32)
const OTHER = '1f'.repeat(32)

describe('a marker', () => {
  test('is what JSON.stringify writes for the element _data', () => {
    const text = JSON.stringify({ resourceType: 'Binary', _data: contentElement(SHA), contentType: 'image/png' })
    expect(text).toContain(contentMarker(SHA))
    expect(markersIn(text)).toEqual([SHA])
    expect(contentOf(JSON.parse(text)._data)).toBe(SHA)
  })

  test('is found each time it is there, and named once', () => {
    const text = `{${contentMarker(SHA)},"x":[{${contentMarker(OTHER)}},{${contentMarker(SHA)}}]}`
    expect(markersIn(text)).toEqual([SHA, OTHER])
    const parts = ['{', { sha256: SHA }, ',"x":[{', { sha256: OTHER }, '},{', { sha256: SHA }, '}]}']
    expect(splitAtMarkers(text)).toEqual(parts)
  })

  test('is not found in the texts of a client, whatever they say', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const text = JSON.stringify({ text: `${before}{${contentMarker(SHA)}}${after}` })
        expect(hasMarkers(text)).toBe(false)
        expect(splitAtMarkers(text)).toEqual([text])
      }),
    )
  })

  test('is no element that merely resembles it', () => {
    expect(contentOf(undefined)).toBeUndefined()
    expect(contentOf({ extension: [] })).toBeUndefined()
    expect(contentOf({ id: 'x', ...contentElement(SHA) })).toBeUndefined()
    expect(contentOf(contentElement(SHA.toUpperCase()))).toBeUndefined()
    expect(contentOf({ ...contentElement(SHA), id: 'x' })).toBeUndefined()
  })

  test('and what is around it make up the text again', () => {
    const piece = fc.oneof(fc.constant(contentMarker(SHA)), fc.constant(contentMarker(OTHER)), fc.string())
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join(',')
        const parts = splitAtMarkers(text)
        expect(parts.map((part) => (typeof part === 'string' ? part : contentMarker(part.sha256))).join('')).toBe(text)
        expect(parts.filter((part) => typeof part !== 'string')).toHaveLength(text.split('"_data":').length - 1)
      }),
    )
  })
})
