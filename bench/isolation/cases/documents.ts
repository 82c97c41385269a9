/** Documents: checks of their content, and look-ups for them. */
import type { DocumentReference } from 'fhir/r4'
import { type HostileCase, inParallel, send, times } from '../hostile-case.ts'
import { creation, post } from './bundles.ts'

const MEBIBYTE = 1024 * 1024

const documentOf = (more: Partial<DocumentReference>): DocumentReference => ({
  resourceType: 'DocumentReference',
  status: 'current',
  content: [{ attachment: { contentType: 'text/plain', data: 'U2Vlbg==' } }],
  ...more,
})

const xml = (): string => {
  const tag = '<a b="c"/>'
  return Buffer.from(`<a>${tag.repeat(Math.floor((10 * MEBIBYTE) / tag.length))}</a>`).toString('base64')
}

const ofXml = (): DocumentReference =>
  documentOf({ content: [{ attachment: { contentType: 'application/xml', data: xml() } }] })

const ofShortData = (): DocumentReference =>
  documentOf({ content: times(250_000, () => ({ attachment: { data: 'U2Vlbg==' } })).slice() })

const identified = (number: number): DocumentReference =>
  documentOf({ identifier: times(20, (n) => ({ system: 'urn:hostile', value: `${number}-${n}` })).slice() })

export const documents: readonly HostileCase[] = [
  {
    name: 'documents-of-xml',
    about: 'DocumentReferences with 10 MiB of XML of a million elements by 8 connections',
    stored: 'nothing',
    attack: () => {
      const request = send('POST', '/DocumentReference', ofXml())
      return inParallel(
        8,
        times(16, () => request),
      )
    },
  },
  {
    name: 'documents-of-short-data',
    about: 'DocumentReferences with 250,000 attachments of a few bytes, each looked at for a content, by 8 connections',
    stored: 'nothing',
    attack: () => {
      const request = send('POST', '/DocumentReference', ofShortData())
      return inParallel(
        8,
        times(16, () => request),
      )
    },
  },
  {
    name: 'documents-of-many-identifiers',
    about: 'a transaction of 1,000 DocumentReferences with 20 identifiers each, which others may have',
    stored: 'nothing',
    attack: () =>
      post(
        'transaction',
        times(1000, (number) => creation(identified(number))),
      ),
  },
]
