/** A first request in the languages of clients, which runs as it stands: docs/clients.md. */

export interface Target {
  /** Without a slash at its end. */
  readonly base: string
  readonly token: string
  /** The first one of the clinic, in E.164; undefined where it has none. */
  readonly dialedNumber: string | undefined
}

const FIRST = 'Patient?_count=1'

const curl = ({ base, token }: Target): string => `TOKEN='${token}'
curl -s '${base}/${FIRST}' -H "Authorization: Bearer $TOKEN"`

const fetchText = ({ base, token }: Target): string => `const token = '${token}'
const response = await fetch('${base}/${FIRST}', {
  headers: { authorization: \`Bearer \${token}\` },
})
console.log(response.status, (await response.json()).resourceType)`

const python = ({ base, token }: Target): string => `import json, urllib.request

token = '${token}'
request = urllib.request.Request('${base}/${FIRST}', headers={'Authorization': f'Bearer {token}'})
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response)['resourceType'])`

/** Compiled and run by hand with the versions that it names, as CI has no Java; so is every change of it. */
const java = ({
  base,
  token,
}: Target): string => `// Connect.java, for Java 17 with hapi-fhir-client and hapi-fhir-structures-r4 8.8.0 and what they need in lib/:
// java -cp 'lib/*' Connect.java
import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.rest.client.api.IGenericClient;
import ca.uhn.fhir.rest.client.interceptor.BearerTokenAuthInterceptor;
import org.hl7.fhir.r4.model.Bundle;
import org.hl7.fhir.r4.model.Patient;

public class Connect {
  public static void main(String[] arguments) {
    FhirContext context = FhirContext.forR4();
    IGenericClient client = context.newRestfulGenericClient("${base}");
    client.registerInterceptor(new BearerTokenAuthInterceptor("${token}"));
    Bundle patients = client.search().forResource(Patient.class).count(1).returnBundle(Bundle.class).execute();
    System.out.println(patients.fhirType() + " " + patients.getEntry().size());
  }
}`

/** The secret is that of the server, which the dashboard does not know. */
const tool = ({ base, dialedNumber }: Target): string => `SECRET='YOUR_VOICE_SECRET'
curl -s '${base}/patient-intake/validate_intake_field' -H "x-voice-secret: $SECRET" \\
  -H 'x-call-id: connect-1' -H 'x-call-to: ${dialedNumber ?? 'YOUR_NUMBER'}' -H 'content-type: application/json' \\
  -d '{"fieldName": "email", "value": "john dot doe at example dot com"}'`

/** By the name of their tab. */
export const SNIPPETS = {
  curl: { label: 'curl', textOf: curl },
  fetch: { label: 'fetch', textOf: fetchText },
  python: { label: 'Python', textOf: python },
  hapi: { label: 'HAPI (Java)', textOf: java },
  tool: { label: 'Tool of a voice platform', textOf: tool },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly textOf: (target: Target) => string }>>

export type SnippetName = keyof typeof SNIPPETS
export const SNIPPET_NAMES = Object.keys(SNIPPETS) as readonly SnippetName[]
