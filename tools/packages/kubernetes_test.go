package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// kustomized returns the objects that kustomize makes of a directory. A field that Kubernetes doesn't have fails the
// test.
func kustomized(t *testing.T, dir string) []runtime.Object {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	require.NoError(t, err)
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme,
		policyv1.AddToScheme} {
		require.NoError(t, add(scheme))
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	objects := make([]runtime.Object, made.Size())
	for i, resource := range made.Resources() {
		text, err := resource.AsYAML()
		require.NoError(t, err)
		objects[i], _, err = decoder.Decode(text, nil, nil)
		require.NoError(t, err, "%s", text)
	}
	return objects
}

// only returns the only object of a type.
func only[T runtime.Object](t *testing.T, objects []runtime.Object) T {
	t.Helper()
	var found []T
	for _, o := range objects {
		if o, ok := o.(T); ok {
			found = append(found, o)
		}
	}
	require.Len(t, found, 1, "of %T", *new(T))
	return found[0]
}

// requireRestricted asserts that a namespace with the standard "restricted" accepts the pod.
func requireRestricted(t *testing.T, pod corev1.PodTemplateSpec) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec))
	require.True(t, result.Allowed, result.ForbiddenDetail())
	for _, c := range pod.Spec.Containers {
		require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
		require.NotEmpty(t, c.Resources.Requests)
		require.NotEmpty(t, c.Resources.Limits)
	}
}

// variables returns a container's variables that are written down, and the keys of the Secret for the others.
func variables(t *testing.T, c corev1.Container) (written, secret map[string]string) {
	t.Helper()
	written, secret = map[string]string{}, map[string]string{}
	for _, v := range c.Env {
		if v.ValueFrom == nil {
			written[v.Name] = v.Value
			continue
		}
		require.Equal(t, "holdfast", v.ValueFrom.SecretKeyRef.Name)
		secret[v.Name] = v.ValueFrom.SecretKeyRef.Key
	}
	return written, secret
}

func TestKubernetes_Servers_FitTheStandardRestrictedAndStopInTime(t *testing.T) {
	t.Parallel()
	objects := kustomized(t, filepath.Join(root, "deploy/kubernetes"))
	require.Len(t, objects, 4)
	deployment := only[*appsv1.Deployment](t, objects)
	pod := deployment.Spec.Template
	requireRestricted(t, pod)
	container := pod.Spec.Containers[0]
	written, secret := variables(t, container)
	require.Equal(t, map[string]string{
		"HOLDFAST_DATABASE_URL": "database-url", "HOLDFAST_ADMIN_KEY": "admin-key",
		"HOLDFAST_UNSUBSCRIBE_KEY": "unsubscribe-key",
	}, secret)
	announce, err := time.ParseDuration(written["HOLDFAST_ANNOUNCE_DELAY"])
	require.NoError(t, err)
	shutdown, err := time.ParseDuration(written["HOLDFAST_SHUTDOWN_TIMEOUT"])
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Duration(*pod.Spec.TerminationGracePeriodSeconds)*time.Second,
		announce+shutdown+5*time.Second)
	ready := container.ReadinessProbe
	require.Equal(t, "/readyz", ready.HTTPGet.Path)
	require.GreaterOrEqual(t, announce, time.Duration(ready.PeriodSeconds*ready.FailureThreshold)*time.Second)
	require.Equal(t, "/healthz", container.LivenessProbe.HTTPGet.Path,
		"a database that is away must not start servers again")

	budget := only[*policyv1.PodDisruptionBudget](t, objects)
	for _, selector := range []*metav1.LabelSelector{deployment.Spec.Selector, budget.Spec.Selector} {
		selects, err := metav1.LabelSelectorAsSelector(selector)
		require.NoError(t, err)
		require.True(t, selects.Matches(labels.Set(pod.Labels)))
	}
	service := only[*corev1.Service](t, objects)
	require.True(t, labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(pod.Labels)))
	require.Equal(t, container.Ports[0].Name, service.Spec.Ports[0].TargetPort.String())
	requireKnown(t, "deploy/kubernetes/deployment.yaml")
}

func TestKubernetes_Migration_FitsTheStandardRestrictedAndServesNobody(t *testing.T) {
	t.Parallel()
	servers := only[*corev1.Service](t, kustomized(t, filepath.Join(root, "deploy/kubernetes")))
	job := only[*batchv1.Job](t, kustomized(t, filepath.Join(root, "deploy/kubernetes/migrate")))
	requireRestricted(t, job.Spec.Template)
	require.Equal(t, []string{"migrate"}, job.Spec.Template.Spec.Containers[0].Args)
	_, secret := variables(t, job.Spec.Template.Spec.Containers[0])
	require.Equal(t, map[string]string{"HOLDFAST_DATABASE_URL": "database-url"}, secret)
	require.False(t, labels.SelectorFromSet(servers.Spec.Selector).Matches(labels.Set(job.Spec.Template.Labels)),
		"requests don't go to the migration")
	requireKnown(t, "deploy/kubernetes/migrate/job.yaml")
}

func TestKubernetes_KustomizationOfTheDocs_NamesImageAndNamespaceOfAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS(filepath.Join(root, "deploy"))))
	for _, of := range []string{"kubernetes", "kubernetes/migrate"} {
		text := block(t, "<!-- kustomization of deploy/"+of+" -->")
		require.NoError(t, os.MkdirAll(filepath.Join(dir, of), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, of, "kustomization.yaml"), []byte(text), 0o600))
	}
	deployment := only[*appsv1.Deployment](t, kustomized(t, filepath.Join(dir, "kubernetes")))
	job := only[*batchv1.Job](t, kustomized(t, filepath.Join(dir, "kubernetes/migrate")))
	for _, o := range []struct {
		metav1.ObjectMeta
		corev1.PodSpec
	}{{deployment.ObjectMeta, deployment.Spec.Template.Spec}, {job.ObjectMeta, job.Spec.Template.Spec}} {
		require.Equal(t, "booking", o.Namespace)
		require.Equal(t, "registry.example.com/holdfast:0.1.0", o.Containers[0].Image)
	}
}
