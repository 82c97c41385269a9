/** Object identifiers: https://hl7.org/fhir/R4/datatypes.html#oid. */

const OID = /^[0-2](?:\.(?:0|[1-9]\d*))+$/

/** Whether the text is a plain OID, `2.16.840.1.113883.6.96`. */
export const isOid = (text: string): boolean => OID.test(text)
